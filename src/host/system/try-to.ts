/** Does what the system may refuse without harm, such as giving a file to another owner. */
export function tryTo(act: () => void): void {
  try {
    act()
  } catch {
    // It stays as it is.
  }
}
