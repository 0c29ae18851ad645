/** The address without its password, for logs and messages. Works on what is not an address, too. */
export function redactPassword(address: string): string {
  // Up to the last @: an unescaped one inside the password must not leave half of it standing.
  return address
    .replace(/([^/:@\s]*):(?!\/\/).*@/, '$1:***@')
    .replace(/([?&]password=)[^&]*/i, '$1***')
}
