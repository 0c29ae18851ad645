import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import { COMPARED_POLICIES } from '../policies/compared-policies.ts'
import { simulateHerd } from '../simulate-herd.ts'
import type { StormResult } from './figures.ts'
import { formatHtml, type ReportContent } from './html-report.ts'

const HERD = { clients: 4_200, capacityPerSlot: 42, slotMs: 100, seed: 1 }

function contentOf(names: string[]): ReportContent {
  const results = names.map((name): StormResult => {
    const compared = COMPARED_POLICIES.find(policy => policy.name === name)
    if (!compared) throw new Error(`no policy ${name}`)
    const { policy } = compared
    return { policy: name, ...simulateHerd({ ...HERD, policy }) }
  })
  return {
    results,
    titles: { tanstack: '3 retries', preset: '4 retries' },
    capacityPerSlot: 42,
    settings: [
      ['Clients', '4200'],
      ['Seed', '1'],
    ],
    command: 'pnpm storm --seed 1',
  }
}

const html = formatHtml(contentOf(['tanstack', 'preset']))
const { document } = parseHTML(html)
const texts = (selector: string) =>
  [...document.querySelectorAll(selector)].map(element => element.textContent)

describe('formatHtml', () => {
  it('needs no script and nothing from elsewhere', () => {
    expect(html).not.toMatch(/<script|<link|<iframe|<object|@import|url\(|\bon\w+=/i)
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|\/\/\w/)
    expect(document.querySelectorAll('[src], [href]')).toHaveLength(0)
  })

  it('gives every chart a name, and the account of its policy as its text', () => {
    const charts = [...document.querySelectorAll('svg')]
    expect(charts).toHaveLength(4)
    for (const chart of charts) {
      expect(chart.getAttribute('role')).toBe('img')
      const ids = chart.getAttribute('aria-labelledby')?.split(' ') ?? []
      const [title, text] = ids.map(id => document.querySelectorAll(`[id="${id}"]`))
      expect(title).toHaveLength(1)
      expect(text).toHaveLength(1)
    }
    expect(texts('svg title')[0]).toBe('Calls over time: tanstack')
    expect(texts('svg desc')[0]).toContain('up to 4,158 in 100 ms')
    expect(texts('article p')[1]?.replaceAll('\u00a0', ' ')).toBe(texts('svg desc')[0])
  })

  it('has an id once', () => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('draws all policies on one scale: the highest tooth near the top, the preset’s hill a sixth of it', () => {
    const [tanstack = 0, preset = 0] = [...document.querySelectorAll('svg.wide')].map(chart => {
      const shape = chart.querySelector('[fill="var(--retries)"] path')?.getAttribute('d') ?? ''
      const heights = [...shape.matchAll(/,([\d.]+)/g)].map(([, y]) => Number(y))
      return Math.max(...heights) - Math.min(...heights)
    })
    expect(preset / tanstack).toBeCloseTo(649 / 4_158, 2)
  })

  it('has every figure in its table, "never" included, and who gave up why', () => {
    const [header = [], tanstack] = [...document.querySelectorAll('.scroll tr')].map(row =>
      [...row.querySelectorAll('th, td')].map(cell => cell.textContent),
    )
    expect(header[0]).toBe('policy')
    const figures = Object.fromEntries(header.map((name, column) => [name, tanstack?.[column]]))
    expect(figures).toEqual({
      policy: 'tanstack',
      calls: '16,548',
      'calls a client': '3.9',
      peak: '4,200',
      'peak of retries': '4,158',
      served: '168',
      'half served': 'never',
      '99 % served': 'never',
      'all served': 'never',
      'longest wait': '7.4 s',
      'gave up': '4,032 retries-exhausted',
    })
  })

  it('says where the preset is not the best', () => {
    expect(texts('.plain tr')[6]).toBe(
      'Shortest longest waittanstack: 7.4 s, with 168 served13.7 s, with 3,934 served',
    )
  })

  it('lists settings and seed, and the command that gives the same again', () => {
    expect(texts('#settings ~ dl div')).toEqual(['Clients4200', 'Seed1'])
    expect(texts('code')).toEqual(['pnpm storm --seed 1'])
  })

  it('is the same for the same figures', () => {
    expect(formatHtml(contentOf(['tanstack', 'preset']))).toBe(html)
  })

  it('takes a name as text, whatever is in it', () => {
    const content = contentOf(['tanstack'])
    const policy = './<img src=x onerror=alert(1)>&"\'.js'
    const results = content.results.map(result => ({ ...result, policy }))
    const page = formatHtml({ ...content, results, command: policy, titles: { [policy]: policy } })
    const parsed = parseHTML(page).document
    expect(parsed.querySelectorAll('img')).toHaveLength(0)
    expect(parsed.querySelector('h3')?.textContent).toBe(policy)
    expect(parsed.querySelector('code')?.textContent).toBe(policy)
  })

  it('shows the outage, and says how long a bar of a long run is', () => {
    const content = contentOf(['p-retry'])
    const outage = { fromMs: 0, toMs: 60_000 }
    const parsed = parseHTML(formatHtml({ ...content, outage })).document
    expect(parsed.querySelectorAll('svg rect[fill], svg [fill="var(--outage)"]').length).toBe(2)
    expect(parsed.querySelector('header')?.textContent).toContain('from 0.0 s to 60.0 s it refuses')
    expect(parsed.querySelector('.key')?.textContent).toMatch(/of the busiest such slot in each/)
  })

  it('is as small for an hour as for a minute', () => {
    const long = formatHtml(contentOf(['p-retry']))
    expect(long.length).toBeLessThan(60_000)
  })
})
