import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RetryBudget } from '../retry-budget.ts'
import { describePolicy, type PolicyFacts } from './describe-policy.ts'
import { formatPolicy } from './format-policy.ts'

/** Cells of every line of every table: a `|` is a border unless it is escaped. */
function tableCells(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(line =>
      line
        .replace(/^\| | \|$/g, '')
        .split(/(?<=(?:^|[^\\])(?:\\\\)*)\|/)
        .map(cell => cell.trim()),
    )
}

describe('formatPolicy', () => {
  it('is one page: title, figures, warnings, a table of the policy and one of its waits', () => {
    const page = formatPolicy(
      describePolicy({ jitter: 'none' }, { operation: 'GET /cart', budget: false }),
    )
    const lines = page.split('\n')
    expect(lines[0]).toBe('# Retry policy: GET /cart')
    expect(lines[2]).toBe(
      'Attempts: at most 5 · calls: at most 5 · waits: 15 s on average, at most 15 s',
    )
    expect(lines).toContainEqual(
      expect.stringMatching(/^- \*\*no-jitter\*\* \(jitter\): Clients that fail together/),
    )
    expect(lines).toContainEqual(expect.stringMatching(/^- \*\*budget-off\*\* \(budget\): /))
    expect(lines).toContainEqual(
      expect.stringMatching(/^\| Retried \| HTTP 408, 429, 502, 503, 504; /),
    )
    expect(lines).toContainEqual(expect.stringMatching(/^\| Layer in charge \| _To fill in:_ /))
    expect(lines).toContain('| 4 | 8 s | 8 s |')
    expect(page.endsWith('|\n')).toBe(true)
  })

  it('has a line for each row, and of each kind of wait', () => {
    const description = describePolicy({ maxRetries: Infinity })
    const cells = tableCells(formatPolicy(description))
    expect(cells).toHaveLength(2 + description.rows.length + 2 + description.waits.length)
    expect(cells.at(-1)).toEqual(['4 and after', '200 ms to 8 s', '4.1 s'])
  })

  it('says so where no setting hurts, and has no table of waits where there are none', () => {
    const fine = formatPolicy(describePolicy({}, { budget: new RetryBudget() }))
    expect(fine).toContain('\n\nNo setting here is known to hurt.\n\n')
    expect(fine).not.toContain('- **')
    expect(formatPolicy(describePolicy({ maxRetries: 0 }))).not.toContain('On average')
  })

  it('says `about` of an average that the deadline cuts', () => {
    const [, , figures] = formatPolicy(describePolicy({ deadlineMs: 6_000 })).split('\n')
    expect(figures).toBe(
      'Attempts: at most 5 · calls: at most 5 · waits: about 4.11 s on average, at most 6 s',
    )
  })

  it('says `no limit` of what is endless', () => {
    const page = formatPolicy(describePolicy({ maxRetries: Infinity, deadlineMs: Infinity }))
    expect(page).toContain(
      'Attempts: no limit · calls: no limit · waits: no limit on average, no limit',
    )
    expect(page).not.toMatch(/Infinity|NaN|undefined/)
  })

  it('shows text from outside as it is: no border, no line, no link, no HTML comes of it', () => {
    const hostile = 'a|b\\|c\n# d\r\n<img src=x> [e](javascript:f) `g` **h** _i_ ~~j~~ &amp; $k$'
    const page = formatPolicy(
      describePolicy({}, { operation: hostile, layers: [{ name: hostile, retries: 1 }] }),
    )
    const shown =
      'a\\|b\\\\\\|c # d \\<img src=x\\> \\[e\\](javascript:f) \\`g\\` \\*\\*h\\*\\* \\_i\\_ \\~\\~j\\~\\~ \\&amp; \\$k\\$'
    expect(page.split('\n')[0]).toBe(`# Retry policy: ${shown}`)
    expect(tableCells(page)[2]).toEqual(['Operation and API', shown])
    expect(page.split('\n').filter(line => line.startsWith('#'))).toHaveLength(1)
  })

  it('keeps its tables whole, whatever the texts are', () => {
    const text = fc.string({
      unit: fc.constantFrom('|', '\\', '\n', 'a', ' ', '`', '\u2028', '\t'),
    })
    fc.assert(
      fc.property(text, text, (operation, id) => {
        const facts: PolicyFacts = { operation, id, notes: [id] }
        const cells = tableCells(formatPolicy(describePolicy({}, facts)))
        expect(cells.slice(0, 22).map(({ length }) => length)).toEqual(Array(22).fill(2))
        expect(cells.slice(22).map(({ length }) => length)).toEqual(Array(6).fill(3))
      }),
    )
  })
})
