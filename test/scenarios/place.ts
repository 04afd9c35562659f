import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { vi } from 'vitest'
import { isJsonObject } from '../../src/core/json/value.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import type { Scenario } from './scenario.ts'

/** The workspace of one scenario in one face, with a home and a state folder of its own. */
export interface Place {
  readonly top: string
  readonly root: string
  readonly stateDir: string
  readonly env: NodeJS.ProcessEnv
  readonly put: (files: Readonly<Record<string, string | null>>) => void
  /** Every file below the root, by its path. */
  readonly files: () => Readonly<Record<string, string>>
  readonly remove: () => void
}

/** A session that is not let go of must not be waited for long. */
const BASE = { 'tools.session_wait_seconds': 3 }

/** Makes one, and lets this process find its home and state until it is removed. */
export function makePlace({ files, settings = {} }: Pick<Scenario, 'files' | 'settings'>): Place {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'tongs-scenario-'))
  const [root, stateDir, config] = [join(top, 'root'), join(top, 'state'), join(top, 'config')]
  mkdirSync(root)
  mkdirSync(join(config, 'tongs'), { recursive: true })
  writeFileSync(join(config, 'tongs', 'config.toml'), toToml({ ...BASE, ...settings }))
  const own = { TONGS_STATE_DIR: stateDir, HOME: top, XDG_CONFIG_HOME: config }
  for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value)
  const put: Place['put'] = (given) => {
    for (const [name, data] of Object.entries(given)) {
      const path = join(root, name)
      if (data === null) rmSync(path)
      else {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, data)
      }
    }
  }
  put(files)
  return {
    top,
    root,
    stateDir,
    env: { ...process.env, ...own },
    put,
    files: () => readFiles(root),
    remove() {
      vi.unstubAllEnvs()
      rmSync(top, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function readFiles(root: string): Readonly<Record<string, string>> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const named = found.map((one) => join(one.parentPath, one.name))
  return Object.fromEntries(
    named.toSorted().map((path) => [path.slice(root.length + 1), readFileSync(path, 'latin1')]),
  )
}

function toToml(settings: JsonObject): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key} = ${toTomlValue(value)}\n`)
    .join('')
}

/** JSON is TOML but for its objects. */
function toTomlValue(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(toTomlValue).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)} = ${toTomlValue(one)}`)
  return `{ ${pairs.join(', ')} }`
}
