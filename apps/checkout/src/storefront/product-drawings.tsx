import type { ReactNode } from 'react'

/**
 * A drawing for each product on the shelf, on a field of 96 by 96. Lines take the ink of the tile;
 * `paper`, `wash` and `deep` are its fills (see product-card.css).
 */
export const PRODUCT_DRAWINGS: Record<string, ReactNode> = {
  prd_hanji_notebook: (
    <>
      <path className="deep" d="M30 22h42a3 3 0 0 1 3 3v52a3 3 0 0 1-3 3H30z" />
      <path className="paper" d="M24 16h42a3 3 0 0 1 3 3v52a3 3 0 0 1-3 3H24z" />
      <path d="M31 16v58M24 24h7M24 34h7M24 44h7M24 54h7M24 64h7" />
      <path className="wash" d="M42 28h18v24H42z" />
      <path d="M51 33v14" />
    </>
  ),
  prd_ujeon_green_tea: (
    <>
      <path className="wash" d="M48 82C46 62 46 48 48 34" />
      <path className="paper" d="M48 38C36 30 34 20 42 10c8 8 10 18 6 28Z" />
      <path className="deep" d="M48 56C34 58 24 52 18 40c14-4 26 2 30 16Z" />
      <path className="deep" d="M48 50c6-16 16-22 30-22-2 14-12 23-30 22Z" />
      <path d="M48 82V38M44 22l3 12M28 45l17 9M68 35 51 48" />
    </>
  ),
  prd_brass_pen: (
    <>
      <path className="deep" d="m64 12 14 14-42 42-14-14z" />
      <path className="paper" d="m22 54 14 14-18 12-8 2 2-8z" />
      <path d="m10 82 13-13M56 20l14 14M30 46l14 14" />
      <path d="M60 84c8-6 14 4 24-4" />
    </>
  ),
  prd_celadon_cup: (
    <>
      <path className="deep" d="M22 36h52c0 24-8 38-20 40H42C30 74 22 60 22 36Z" />
      <path
        className="paper"
        d="M48 30c16 0 26 3 26 6.500S64 43 48 43s-26-3-26-6.500S32 30 48 30Z"
      />
      <path d="M38 76h20v6H38zM34 52l8 6-3 8M56 54l6 5-2 9M48 58v8" />
      <path d="M40 22c-4-5 4-7 0-12M54 22c-4-5 4-7 0-12" />
    </>
  ),
  prd_pine_soot_ink: (
    <>
      <path
        className="deep"
        d="M28 40c0-6 6-8 10-10h20c4 2 10 4 10 10v38a4 4 0 0 1-4 4H32a4 4 0 0 1-4-4z"
      />
      <path className="paper" d="M36 16h24v14H36z" />
      <path className="paper" d="M36 48h24v22H36z" />
      <path d="M48 53c-4 5-6 7-6 10a6 6 0 0 0 12 0c0-3-2-5-6-10Z" />
    </>
  ),
  prd_roasted_barley_tea: (
    <>
      <path d="M48 86V40" />
      {[0, 1, 2, 3].map(row => (
        <g key={row} transform={`translate(0 ${row * 12})`}>
          <path className="deep" d="M48 38c-10 0-13-6-13-13 8 0 13 5 13 13Z" />
          <path className="paper" d="M48 38c10 0 13-6 13-13-8 0-13 5-13 13Z" />
        </g>
      ))}
      <path d="M48 26V8M36 22 30 8M60 22l6-14" />
    </>
  ),
  prd_letter_set: (
    <>
      <path className="paper" d="M24 12h48v50H24z" />
      <path d="M34 24h28M34 32h20" />
      <path className="deep" d="M14 40h68v42H14z" />
      <path className="wash" d="m14 40 34 24 34-24" />
      <path d="m14 82 26-24M82 82 56 58" />
    </>
  ),
  prd_omija_tea: (
    <>
      <path d="M50 10c-4 14 2 22-2 36" />
      <path className="wash" d="M50 18c10-8 20-6 26 2-10 6-20 4-26-2Z" />
      <circle className="deep" cx="38" cy="40" r="9" />
      <circle className="deep" cx="57" cy="42" r="9" />
      <circle className="paper" cx="47" cy="55" r="9" />
      <circle className="deep" cx="34" cy="60" r="8" />
      <circle className="deep" cx="60" cy="62" r="8" />
      <circle className="deep" cx="47" cy="76" r="8" />
    </>
  ),
  prd_bamboo_ruler: (
    <>
      <path className="paper" d="m66 8 22 22-58 58L8 66z" />
      <path d="m24 50 6 6M34 40l9 9M44 30l6 6M54 20l9 9M42 76l-5-5M62 56l-5-5M52 66l-8-8" />
      <path className="deep" d="M72 62c10 2 14 10 12 20-9-3-13-10-12-20Z" />
    </>
  ),
  prd_bojagi_wrap: (
    <>
      <path className="wash" d="M16 42h30v40H16z" />
      <path className="deep" d="M46 42h34v18H46z" />
      <path className="paper" d="M46 60h34v22H46z" />
      <path className="paper" d="M16 66h30v16H16z" />
      <path className="deep" d="M48 40C34 40 24 32 26 20c12 0 20 8 22 20Z" />
      <path className="deep" d="M48 40c14 0 24-8 22-20-12 0-20 8-22 20Z" />
      <path className="paper" d="M42 36h12v10H42z" />
    </>
  ),
  prd_chrysanthemum_tea: (
    <>
      {Array.from({ length: 12 }, (_, petal) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: petals never change places
          key={petal}
          className={petal % 2 ? 'deep' : 'paper'}
          transform={`rotate(${petal * 30} 48 48)`}
          d="M48 40c-7-8-7-20 0-28 7 8 7 20 0 28Z"
        />
      ))}
      <circle className="wash" cx="48" cy="48" r="10" />
      <path d="M44 46h.1M50 44h.1M52 50h.1M46 52h.1" />
    </>
  ),
  prd_stone_seal: (
    <>
      <path className="paper" d="M34 34c-4-14 4-24 14-24s18 10 14 24l4 10H30z" />
      <path className="deep" d="M26 44h44v24H26z" />
      <path d="M40 22c3-3 6-4 10-4M36 52v8M44 50v12M52 52v8M60 50v12" />
      <path className="wash" d="M22 76h52v10H22z" />
    </>
  ),
}
