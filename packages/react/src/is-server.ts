/** Whether this is a server, where somebody waits for the HTML. Asked anew each time, since tests change it. */
export function isServer(): boolean {
  return typeof window === 'undefined'
}
