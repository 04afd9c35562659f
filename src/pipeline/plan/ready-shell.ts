import type { House } from '../engine.ts'

/** Finds out what confines commands, if any of these calls starts one: judging cannot wait for it. */
export function readyShell(
  calls: readonly { readonly name: string }[],
  { registry, shell }: House,
): Promise<void> | undefined {
  return calls.some(({ name }) => registry.find(name)?.effect === 'spawn') ? shell.ready() : undefined
}
