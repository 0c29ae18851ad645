import './loading.css'

/** Grey shapes in the place of what is to come. `label` is for those who do not see them. */
export function Loading({
  label,
  shape,
  count,
}: {
  label: string
  shape: 'tile' | 'line'
  count: number
}) {
  return (
    <div className={`loading loading--${shape}`}>
      <p className="visually-hidden">{label}</p>
      {Array.from({ length: count }, (_, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the shapes are all alike and never move
        <div key={position} className="loading__shape" aria-hidden="true" />
      ))}
    </div>
  )
}
