import type { PresetDecision } from './operation.ts'

/** The decision, or a refusal where the preset is switched off. Never throws. */
export function unlessDisabled(decision: PresetDecision, isEnabled: () => boolean): PresetDecision {
  if (!decision.retry) return decision
  const disabled = { retry: false, reason: 'disabled', failure: decision.failure } as const
  try {
    return isEnabled() ? decision : disabled
  } catch (classifyError) {
    return { ...disabled, classifyError }
  }
}
