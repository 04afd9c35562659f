import type { House } from './house.ts'

/** Finds out what confines commands, if any of these tools starts one: judging cannot wait for it. */
export async function readyShell(names: readonly string[], house: House): Promise<void> {
  if (names.some((name) => house.registry.find(name)?.effect === 'spawn')) await house.shell.ready()
}
