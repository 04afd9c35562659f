import type { JsonObject } from '../../../src/core/json/value.ts'
import type { ScenarioCall, Step } from '../scenario.ts'

export const call = (name: string, args: JsonObject): ScenarioCall => ({ name, args })
export const read = (path: string): ScenarioCall => call('read_file', { path })
export const write = (path: string, content: string): ScenarioCall => call('write_file', { path, content })
export const shell = (script: string, more: JsonObject = {}): ScenarioCall =>
  call('run_shell', { cmd: ['sh', '-c', script], ...more })

/** One message with these calls. */
export const calls = (...made: readonly ScenarioCall[]): Step => ({ do: 'calls', calls: made })

/** The same, with the answers to its questions. */
export const asked = (
  answers: Extract<Step, { do: 'calls' }>['answers'],
  ...made: readonly ScenarioCall[]
): Step => ({ do: 'calls', calls: made, ...(answers === undefined ? {} : { answers }) })
