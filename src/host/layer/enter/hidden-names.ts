import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../../core/json/value.ts'
import type { Mask } from './mask.ts'

/** In the folder of a part: what was hidden from the commands of a layer, a JSON list in each line. */
const HIDDEN_FILE = 'hidden'

/** Notes what is hidden from a command, so that it is not changed or moved either, whatever its name is. */
export function noteHidden(folder: string, masks: readonly Pick<Mask, 'path'>[]): void {
  if (masks.length > 0)
    appendFileSync(join(folder, HIDDEN_FILE), `${JSON.stringify(masks.map(({ path }) => path))}\n`, {
      mode: 0o600,
    })
}

/** What was hidden from the commands of a layer; names that are not text are kept byte for byte. */
export function readHidden(folder: string): ReadonlySet<string> {
  let text: string
  try {
    text = readFileSync(join(folder, HIDDEN_FILE), 'utf8')
  } catch {
    return new Set()
  }
  return new Set(
    text.split('\n').flatMap((line): readonly string[] => {
      const paths = line === '' ? [] : parseJson(line)
      return Array.isArray(paths) ? paths.map(String) : []
    }),
  )
}
