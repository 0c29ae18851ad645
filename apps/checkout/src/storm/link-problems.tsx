import './link-problems.css'
import type { LinkProblem } from './storm-link.ts'
import { useStormWords } from './use-storm-words.ts'

/** What the link asked for in vain, and what is shown in its place. */
export function LinkProblems({ problems }: { problems: readonly LinkProblem[] }) {
  const words = useStormWords()
  if (problems.length === 0) return null
  return (
    <section className="link-problems" role="alert">
      <p>{words.problems}</p>
      <ul>
        {problems.map(({ name, value, used, range }) => (
          <li key={name}>
            {words.problem(`${name}=${value}`, used)}
            {range && ` (${words.range(...range)})`}
          </li>
        ))}
      </ul>
    </section>
  )
}
