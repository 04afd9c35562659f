/** Replaces a secret. */
export const REDACTED = '[redacted]'

/**
 * What a name says about its value. `password`: chosen by a person, so that a word with a number may be one. `secret`:
 * issued by a program. `key`: may be a secret or an ordinary key, so that only a random value counts.
 */
export type NameKind = 'password' | 'secret' | 'key'

const PASSWORD = /(?:passwords?|passwd|passphrase|pgpass)$|(?:^|[_.-])(?:pass|pwd)$|[a-z0-9](?:Pass|Pwd)$/i
const SECRETS = [
  /(?:credentials?|authorization)$/i,
  /(?:^|[_.-])(?:token|secret|apikey|_?auth)$/i,
  /[a-z0-9](?:Token|Secret)$/,
  /(?:access|api|app|auth|bearer|bot|client|csrf|id|refresh|session|user|xsrf)(?:token|secret)$/i,
  /(?:access|account|api|app|auth|client|deploy|encryption|license|master|private)[_.-]?keys?(?:base)?$/i,
  /(?:secret|service|shared|signing|ssh|storage|webhook)[_.-]?keys?(?:[_.-]?base)?$/i,
  /(?:secret|shared)[_.-]?access[_.-]?(?:key|signature)$/i,
]
const KEY =
  /[_.-]keys?$|[a-z0-9]Key$|(?:^|[_.-])(?:j?session_?id|phpsessid|sid|sig|webhook|salt)$|[a-z]SessionId$/i
/** Kinds of keys that are not secret. */
const ORDINARY_KEY =
  /(?:^|[_.-]|[a-z0-9])(?:cache|composite|foreign|group|hash|host|idempotency|index|map|natural|object|partition|primary|public|pub|recv|range|row|sort|unique|verif(?:y|ication)|translation|i18n)[_.-]?keys?$/i

const LONGEST_END = 64

/** Whether a value assigned to this name may be a secret, and of which kind. */
export const nameKindOf = (name: string): NameKind | undefined => {
  const end = name.slice(-LONGEST_END)
  // The folder that a shell was in before, and a program that asks for a password; no password has such a name.
  if (ORDINARY_KEY.test(end) || end === 'OLDPWD' || /askpass$/i.test(end)) return undefined
  if (PASSWORD.test(end)) return 'password'
  if (SECRETS.some((ends) => ends.test(end))) return 'secret'
  return KEY.test(end) ? 'key' : undefined
}
