/** Holds whoever comes to it until it is opened, so that a test decides what happens meanwhile. */
export class Gate {
  #open: () => void = () => undefined
  #isOpen: Promise<void> = Promise.resolve()
  #arrived: () => void = () => undefined

  /** From now on it holds. @returns resolves when somebody stands before it */
  close(): Promise<void> {
    this.#isOpen = new Promise(resolve => {
      this.#open = resolve
    })
    return new Promise(resolve => {
      this.#arrived = resolve
    })
  }

  open(): void {
    this.#open()
  }

  pass(): Promise<void> {
    this.#arrived()
    return this.#isOpen
  }
}
