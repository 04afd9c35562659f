/** What can be sent as the value of a header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** A value that cannot be sent is not tried: the error would quote it, and it is a secret more often than not. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const bad = Object.keys(headers).find((name) => !HEADER_VALUE.test(headers[name] ?? ''))
  if (bad !== undefined)
    throw new Error(
      `the value of the header ${bad} in its entry has characters that cannot be sent, such as a line break`,
    )
}
