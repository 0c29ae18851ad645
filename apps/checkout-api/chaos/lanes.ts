/** Works through `items` in their order, `lanes` of them at a time. Rejects as soon as one does. */
export async function runInLanes<Item>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      // One iterator for all lanes: each takes what is next.
      for (const item of waiting) await work(item)
    }),
  )
}
