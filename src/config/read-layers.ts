import { nearest } from '../core/text/nearest.ts'
import { isSettingVariable } from './keys.ts'
import { readFileLayer, readTable, readTextLayer } from './layer.ts'
import type { LayerReading } from './layer.ts'
import { isPresetName, PRESET_NAMES, PRESETS } from './presets.ts'
import type { ConfigProblem, SettingsInput } from './settings-input.ts'
import { showValue } from './show-value.ts'

/** All layers, weakest first. */
export async function readLayers(input: SettingsInput): Promise<readonly LayerReading[]> {
  const { profile, userFile, projectFile, env, configFile, preset, given, set, managedFile } = input
  const readings: LayerReading[] = []
  if (userFile) readings.push(await readFileLayer(userFile, 'own'))
  if (projectFile) {
    readings.push(await readFileLayer(projectFile, projectFile.trusted ? 'trusted project' : 'project'))
  }
  readings.push(...(await readEnvironment(env)))
  if (configFile) readings.push(await readFileLayer(configFile, 'own'))
  if (preset !== undefined) readings.push(readPreset(preset))
  if (given) readings.push(readOwnTable('the program', given))
  for (const assignment of set) readings.push(await readAssignment(assignment))
  if (profile !== undefined) readings.push(readOwnTable('--profile', { profile }))
  if (managedFile) readings.push(await readFileLayer(managedFile, 'managed'))
  return readings
}

function readPreset(name: string): LayerReading {
  const source = isPresetName(name) ? `--preset ${name}` : `--preset ${showValue(name)}`
  const place = { name: source, source, authority: 'preset' as const, locate: () => undefined }
  if (isPresetName(name)) return readTable(PRESETS[name].values, place)
  const close = nearest(name, PRESET_NAMES)
  const problem: ConfigProblem = {
    source,
    message: 'there is no such preset',
    hint: close === null ? `there are ${PRESET_NAMES.join(', ')}` : `did you mean ${close}?`,
  }
  return { ...readTable({}, place), problems: [problem] }
}

function readOwnTable(name: string, table: Readonly<Record<string, unknown>>): LayerReading {
  return readTable(table, { name, source: name, authority: 'own', locate: () => undefined })
}

async function readAssignment(assignment: string): Promise<LayerReading> {
  const equals = assignment.indexOf('=')
  if (equals > 0)
    return readTextLayer('--set', assignment.slice(0, equals).trim(), assignment.slice(equals + 1))
  const message = `${showValue(assignment)} is not an assignment`
  const problem: ConfigProblem = {
    source: '--set',
    message,
    hint: 'write --set KEY=VALUE, such as tools.mode=enabled',
  }
  return { ...readOwnTable('--set', {}), problems: [problem] }
}

/** The variables that are settings, as one layer each. */
async function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly LayerReading[]> {
  const readings: LayerReading[] = []
  const seen = new Map<string, string>()
  for (const name of Object.keys(env).toSorted()) {
    const text = env[name]
    if (text === undefined || !isSettingVariable(name)) continue
    const path = name.slice('TONGS__'.length).toLowerCase().split('__').join('.')
    const reading = await readTextLayer(`environment ${name}`, path, text)
    const other = seen.get(path)
    seen.set(path, name)
    if (other === undefined) readings.push(reading)
    else {
      const message = `it is given twice, also as ${other}`
      const problem: ConfigProblem = {
        source: `environment ${name}`,
        key: path,
        message,
        hint: 'unset one of them',
      }
      readings.push({ ...reading, problems: [problem] })
    }
  }
  return readings
}
