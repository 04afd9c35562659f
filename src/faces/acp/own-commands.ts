import type { AvailableCommand } from '@agentclientprotocol/sdk'
import { expandLine } from '../../runtime/commands/expand-command.ts'
import type { ExpandedLine } from '../../runtime/commands/expand-command.ts'
import { findCommands } from '../../runtime/commands/find-commands.ts'
import type { OwnCommands } from '../../runtime/commands/own-command.ts'
import type { EditorClient } from './editor-client.ts'

/** Where the files are that are commands of a session. */
interface CommandPlaces {
  readonly root: string
  readonly stateDir: string
}

/** The commands of a session that are files, by the same rules as in the app. */
export class SessionCommands {
  readonly #client: EditorClient
  readonly #places: CommandPlaces
  #shown = ''

  constructor(client: EditorClient, places: CommandPlaces) {
    this.#client = client
    this.#places = places
  }

  /** Tells the client what a prompt may begin with, unless it knows that already. Ours keep their names. */
  async show(ours: readonly AvailableCommand[]): Promise<void> {
    const taken = new Set(ours.map(({ name }) => name))
    const commands = [...ours, ...describe(this.#find(), taken)]
    const shown = JSON.stringify(commands)
    if (shown === this.#shown) return
    this.#shown = shown
    await this.#client.update({
      sessionUpdate: 'available_commands_update',
      availableCommands: commands,
    })
  }

  /** What a typed prompt means that begins with none of ours. */
  expand(text: string): ExpandedLine {
    return text.startsWith('/') ? expandLine(text, this.#find()) : { is: 'other' }
  }

  #find(): OwnCommands {
    return findCommands({ ...this.#places, env: process.env })
  }
}

function describe({ usable }: OwnCommands, taken: ReadonlySet<string>): AvailableCommand[] {
  return usable
    .filter(({ name }) => !taken.has(name.toLowerCase()))
    .map(({ name, description, argumentHint }) => ({
      name,
      description,
      // Every file takes words: those without a place in its text follow it.
      input: { hint: argumentHint || 'words for the prompt' },
    }))
}
