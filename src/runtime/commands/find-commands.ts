import { findPrompts, projectPromptsFolder, trustPrompts } from '../prompt-files/find-prompt-files.ts'
import type { PromptPlaces, PromptReader } from '../prompt-files/find-prompt-files.ts'
import { isBuiltInName } from './built-in-names.ts'
import type { OwnCommand, OwnCommands } from './own-command.ts'
import { parseCommand } from './parse-command.ts'

/** What decides where commands are, and whether those of the project count. */
export type CommandPlaces = PromptPlaces

const READER: PromptReader<OwnCommand> = {
  kind: 'commands',
  findFault: (name) => (isBuiltInName(name) ? `/${name} is a command of the app` : null),
  sayReplaced: (name) => `your own /${name} is used instead`,
  read: ({ name, path, bytes }, from) => {
    const parsed = parseCommand(bytes)
    if (!parsed.ok) return { name, path, why: parsed.why }
    const { description, argumentHint, text } = parsed
    return { name, description, argumentHint, from, path, text }
  },
}

/** Finds the commands that are files: the user's own, and those of the project if exactly these were trusted. */
export function findCommands(places: CommandPlaces): OwnCommands {
  return findPrompts(places, READER)
}

/** Trusts the project's commands exactly as they are; returns their paths, none if there are no files to trust. */
export function trustCommands(places: Parameters<typeof trustPrompts>[0]): readonly string[] {
  return trustPrompts(places, 'commands')
}

/** The folder of the project's commands. */
export function projectCommandsFolder(root: string): string {
  return projectPromptsFolder(root, 'commands')
}
