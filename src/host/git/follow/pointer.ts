import { failure } from '../../../core/error.ts'
import { kindOrMissing, sizeOrZero } from '../../confine/inspect-path.ts'
import { readPlainFile } from '../../fs/plain-file.ts'
import { exactName } from '../../root/exact-name.ts'
import { showPath } from '../../root/rel-path.ts'
import { realGitPath } from './follow-named-path.ts'

/** Far more than a path can have. */
const MAX_POINTER_BYTES = 1024 ** 2

/**
 * The exact text of a file that says where git finds something, as git reads it: without line ends behind it, and up to the
 * first zero byte; or null. Throws if its name leads git elsewhere than us, or if it has more than we read.
 */
export function pointerOf(path: string): string | null {
  // What is read has to be what git reads.
  if (kindOrMissing(path) === 'link') realGitPath(path)
  const found = readPlainFile(path, 'own', MAX_POINTER_BYTES)
  if (found.is !== 'read') {
    if (sizeOrZero(path) > MAX_POINTER_BYTES)
      throw failure('not_allowed', `${showPath(path)}, which git follows, has more than 1 MiB`)
    return null
  }
  const text = found.bytes.toString('latin1')
  // An expression for the end would begin anew at each line.
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  const [named = ''] = text.slice(0, end).split('\0', 1)
  return exactName(named)
}
