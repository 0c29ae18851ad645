/**
 * The process cannot start with what it was told. The message is one line that names the variable,
 * its value and the way out, because it is all that `main.ts` prints.
 */
export class SettingError extends Error {
  readonly code = 'setting'
  readonly setting: string
  readonly value: string

  /** @param value - as it may be printed: without passwords */
  constructor(setting: string, value: string, problem: string, fix: string, cause?: unknown) {
    super(`${setting}=${value} ${problem}. ${fix}`, { cause })
    this.name = 'SettingError'
    this.setting = setting
    this.value = value
  }
}
