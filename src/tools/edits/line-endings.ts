/** Whether every line of a text ends with CRLF. */
export function usesCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text)
}

/** A text with CRLF at the end of each line. */
export function withCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, '\r\n')
}
