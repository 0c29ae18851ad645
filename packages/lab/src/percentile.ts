/**
 * The instant by which a share of all had happened.
 *
 * @param sorted - when each happened, ascending; those that never did are not in it
 * @param share - above 0, to 1
 * @param total - of how many
 * @returns undefined where fewer than that share did
 */
export function instantOfShare(
  sorted: ArrayLike<number>,
  share: number,
  total: number,
): number | undefined {
  return sorted[Math.ceil(share * total - 1e-9) - 1]
}
