import { useEffect, useMemo, useState } from 'react'
import { useLocation, useNavigate, useNavigationType } from 'react-router'
import { readLink, writeLink } from './storm-link.ts'
import type { StormSettings } from './storm-settings.ts'

/** Browsers take only so many changes of the address in so many seconds; a slider makes more. */
const REST_MS = 250

/**
 * The settings of the page, which live in its address: they survive a reload and can be sent to somebody.
 *
 * A change takes effect at once, and is in the address as soon as the hand rests. Changes of one setting after
 * another share a place in the history, so "back" takes back what was done to the last slider.
 */
export function useStormSettings() {
  const { key, pathname, search, state } = useLocation()
  const navigationType = useNavigationType()
  const navigate = useNavigate()
  const [edited, setEdited] = useState<{ link: string; changed: keyof StormSettings }>()
  const [keySeen, setKeySeen] = useState(key)
  const lastChanged: unknown = state?.changed

  if (key !== keySeen) {
    setKeySeen(key)
    // Our own entries come after the change that they note, which may have gone on meanwhile.
    if (navigationType === 'POP' || lastChanged === undefined) setEdited(undefined)
  }

  const linked = useMemo(() => readLink(search), [search])
  const link = edited?.link ?? writeLink(linked.settings)
  const settings = useMemo(() => readLink(link).settings, [link])

  useEffect(() => {
    if (!edited || edited.link === search) return
    const { link, changed } = edited
    const timer = setTimeout(() => {
      const replace = changed === lastChanged
      navigate({ pathname, search: link }, { replace, state: { changed } })
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [edited, search, lastChanged, pathname, navigate])

  return {
    settings,
    link,
    problems: edited ? [] : linked.problems,
    change<Key extends keyof StormSettings>(changed: Key, value: StormSettings[Key]): void {
      setEdited({ link: writeLink({ ...settings, [changed]: value }), changed })
    },
  }
}
