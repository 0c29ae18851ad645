import type { PolicyDescription } from './describe-policy.ts'
import { formatDuration, formatEstimate } from './format-duration.ts'
import type { RetryWait } from './retry-waits.ts'

/**
 * The page of a policy as Markdown: warnings, the policy line by line, its waits. For a wiki, a pull request or
 * a review. The same description gives the same text.
 *
 * @param description - of {@link describePolicy}. Its texts are shown as they are: no markup in them takes effect
 * @example
 * const page = formatPolicy(describePolicy({ jitter: 'none' }, { operation: 'GET /cart' }))
 * page.split('\n')[0] // => '# Retry policy: GET /cart'
 * page.includes('**no-jitter**') // => true
 */
export function formatPolicy(description: PolicyDescription): string {
  const { title, warnings, rows, waits } = description
  const heading = title === 'Retry policy' ? title : `Retry policy: ${title}`
  const sections = [
    [`# ${escaped(heading)}`],
    [summary(description)],
    warnings.length > 0
      ? warnings.map(({ code, option, text }) => {
          const named = option ? ` (${option})` : ''
          return `- **${escaped(code)}**${named}: ${escaped(text)}`
        })
      : ['No setting here is known to hurt.'],
    table(
      ['Policy', ''],
      rows.map(row => [
        escaped(row.title),
        `${row.isOpen ? '_To fill in:_ ' : ''}${escaped(row.text)}`,
      ]),
    ),
    ...(waits.length > 0 ? [table(['Retry', 'Backoff', 'On average'], waits.map(waitCells))] : []),
  ]
  return `${sections.map(lines => lines.join('\n')).join('\n\n')}\n`
}

function summary({
  attempts,
  worstCaseCalls,
  expectedWaitMs,
  isCutByDeadline,
  worstWaitMs,
}: PolicyDescription): string {
  const most = (count: number) => (count === Infinity ? 'no limit' : `at most ${count}`)
  return [
    `Attempts: ${most(attempts)}`,
    `calls: ${most(worstCaseCalls)}`,
    `waits: ${isCutByDeadline ? 'about ' : ''}${formatEstimate(expectedWaitMs)} on average, ${worstWaitMs === Infinity ? 'no limit' : `at most ${formatDuration(worstWaitMs)}`}`,
  ].join(' · ')
}

function waitCells({ retry, lastRetry, lowMs, highMs, meanMs }: RetryWait): string[] {
  const which = lastRetry === Infinity ? `${retry} and after` : `${retry} to ${lastRetry}`
  return [
    retry === lastRetry ? `${retry}` : which,
    lowMs === highMs
      ? formatDuration(lowMs)
      : `${formatDuration(lowMs)} to ${formatDuration(highMs)}`,
    formatEstimate(meanMs),
  ]
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [header, header.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`)
}

/** Text on one line in which nothing is markup, in a table's cell or outside one. */
function escaped(text: string): string {
  return text
    .replace(/[\\`*_[\]<>|~$&]/g, '\\$&')
    .replace(/\s+/g, ' ')
    .trim()
}
