import { useState } from 'react'
import { useShop } from '../shop.ts'
import { PageHead } from '../storefront/page-head.tsx'
import { describeShop } from './describe-shop.ts'
import './policy-page.css'
import { PolicySheet } from './policy-sheet.tsx'
import { usePolicyWords } from './use-policy-words.ts'

const SHEETS = ['queries', 'mutations'] as const

/** The policy of the shop's preset on a page each: of what it reads, and of what it pays. */
export function PolicyPage() {
  const words = usePolicyWords()
  const shop = useShop()
  // What was seen until now: a sheet that changed while it is read would be no sheet.
  const [pages] = useState(() => describeShop(shop))
  const longestMs = Math.max(
    1,
    ...SHEETS.flatMap(name => pages[name].waits.map(({ highMs }) => highMs)),
  )

  return (
    <div className="policy">
      <PageHead title={words.title} tagline={words.tagline} />
      <p className="policy__note">{words.note}</p>
      <div className="policy__sheets">
        {SHEETS.map(name => (
          <PolicySheet key={name} name={name} description={pages[name]} longestMs={longestMs} />
        ))}
      </div>
    </div>
  )
}
