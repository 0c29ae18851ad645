/** A random source that draws 0, 0.05, 0.1, … one after the other, and begins again after 0.95. */
export function evenDraws(): () => number {
  let draw = 0
  return () => (draw++ % 20) / 20
}
