/** Replaces a secret. */
export const REDACTED = '[redacted]'

/** Ends of names whose value is a secret: words that mean nothing else, and others that need a preceding word. */
const SECRET_ENDS = [
  /(?:password|passwd|passphrase|credentials?|authorization)$/i,
  /(?:^|[_.-])(?:token|secret)$|[_.-](?:pass|pwd|auth)$/i,
  /[a-z0-9](?:Token|Secret|Pwd)$/,
  /(?:access|api|app|auth|bearer|bot|client|csrf|id|refresh|session|user|xsrf)(?:token|secret)$/i,
  /(?:access|account|api|app|auth|client|deploy|encryption|host|license|master|private)[_.-]?keys?$/i,
  /(?:secret|service|shared|signing|ssh|storage|webhook)[_.-]?keys?$/i,
]

/** Any other `_key` at the end of a variable-style name counts too, except for kinds of keys that are not secret. */
const VARIABLE_KEY = /[_-]key$/i
const ORDINARY_KEY =
  /(?:^|[_.-])(?:cache|composite|foreign|group|hash|index|map|natural|object|partition|primary|public|range|row|sort|unique)[_-]key$/i

const LONGEST_END = 64

/** Whether a value assigned to this name must not be shown. */
export const isSecretName = (name: string): boolean => {
  const end = name.slice(-LONGEST_END)
  return SECRET_ENDS.some((ends) => ends.test(end)) || (VARIABLE_KEY.test(end) && !ORDINARY_KEY.test(end))
}
