import { useEffect, useState } from 'react'

/** Copies a text when it is asked to, and says what became of it; nothing any more once the text is another. */
export function useCopy(text: string) {
  const [said, setSaid] = useState<'copied' | 'refused'>()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what the effect is about
  useEffect(() => setSaid(undefined), [text])

  async function copy() {
    // Said again, it has to be another text than what stands there.
    setSaid(undefined)
    try {
      await navigator.clipboard.writeText(text)
      setSaid('copied')
    } catch {
      setSaid('refused')
    }
  }

  return { said, copy: () => void copy() }
}
