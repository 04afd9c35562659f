import { expect } from 'vitest'
import { loadSettings } from '../../src/config/load-settings.ts'
import type { ConfigProblem, LoadedSettings, SettingsInput } from '../../src/config/load-settings.ts'

/** Loads settings that must be good. */
export async function load(input: Partial<SettingsInput>): Promise<LoadedSettings> {
  const result = await loadSettings({ env: {}, set: [], ...input })
  expect(result.ok ? [] : result.problems).toEqual([])
  return result as LoadedSettings
}

/** Loads settings that must be refused. */
export async function problemsOf(input: Partial<SettingsInput>): Promise<readonly ConfigProblem[]> {
  const result = await loadSettings({ env: {}, set: [], ...input })
  expect(result.ok).toBe(false)
  return result.ok ? [] : result.problems
}

/** A user's own file. */
export function own(text: string): Partial<SettingsInput> {
  return { userFile: { path: '/home/ada/config.toml', text } }
}

/** A project's file. */
export function project(text: string, trusted = false): Partial<SettingsInput> {
  return { projectFile: { path: '.tongs.toml', text, trusted } }
}

/** A managed file. */
export function managed(text: string): Partial<SettingsInput> {
  return { managedFile: { path: '/etc/tongs/managed.toml', text } }
}
