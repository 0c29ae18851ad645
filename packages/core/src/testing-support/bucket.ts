/** The simplest bucket: no refill. */
export function bucket(tokens: number) {
  return {
    tokens,
    successes: 0,
    tryWithdraw() {
      const isGranted = this.tokens > 0
      if (isGranted) this.tokens--
      return isGranted
    },
    refund() {
      this.tokens++
    },
    recordSuccess() {
      this.successes++
    },
  }
}
