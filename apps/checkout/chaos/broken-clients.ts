/** A client with one mistake in it, and what the run has to say about it. */
export interface BrokenClient {
  /** For people: what is left out, or done instead. */
  mistake: string
  /** Its name in MISTAKES. */
  does: string
  /** Without a guard of its own against a second charge of an order, so that the client's shows. */
  isServerGuarded: boolean
  /** The stories that make it visible, of those that every honest run goes through. */
  stories: readonly string[]
  checkouts: number
  /** Each of these has to be reported. */
  expects: readonly string[]
}

export const BROKEN_CLIENTS: Readonly<Record<string, BrokenClient>> = {
  'forgets-on-reload': {
    mistake: 'keys are kept in memory only, and a reload forgets them',
    does: 'forgets-on-reload',
    isServerGuarded: false,
    stories: ['reload-in-doubt', 'tab-kill-in-doubt', 'reload-again-and-again'],
    checkouts: 12,
    expects: ['captured-twice', 'changed-key'],
  },
  'new-key-each-attempt': {
    mistake: 'every attempt has a key of its own',
    does: 'new-key-each-attempt',
    isServerGuarded: false,
    stories: ['check-again', 'provider-loses-answer'],
    checkouts: 8,
    expects: ['captured-twice', 'changed-key'],
  },
  'unknown-is-a-refusal': {
    mistake: 'what is not known counts as refused, and the person pays again',
    does: 'unknown-is-a-refusal',
    isServerGuarded: false,
    stories: ['pay-differently'],
    checkouts: 8,
    expects: ['captured-twice', 'refused-key-captured', 'changed-key'],
  },
  'unknown-is-a-refusal-of-a-guarded-server': {
    mistake: 'the same, where the server charges no order twice',
    does: 'unknown-is-a-refusal',
    isServerGuarded: true,
    stories: ['pay-differently'],
    checkouts: 8,
    expects: ['refused-key-captured', 'changed-key'],
  },
  'any-answer-is-a-success': {
    mistake: 'whatever answers 200 is taken for the shop',
    does: 'any-answer-is-a-success',
    isServerGuarded: true,
    stories: ['captive-portal'],
    checkouts: 6,
    expects: ['lost-payment'],
  },
  'asks-nobody': {
    mistake: 'nobody finds out what became of a payment in doubt',
    does: 'asks-nobody',
    isServerGuarded: true,
    stories: ['check-again'],
    checkouts: 6,
    expects: ['stuck'],
  },
  'one-key-for-all': {
    mistake: 'all orders are paid under one key',
    does: 'one-key-for-all',
    isServerGuarded: true,
    stories: ['plain', 'double-click'],
    checkouts: 6,
    expects: ['key-of-two-orders'],
  },
}
