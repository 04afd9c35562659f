/** The errno name of a system error, or of an error of ours that imitates one; null for any other. */
export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  return error.code
}
