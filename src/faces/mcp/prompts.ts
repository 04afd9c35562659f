import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { expandCommand } from '../../runtime/commands/expand-command.ts'
import type { OwnCommands } from '../../runtime/commands/own-command.ts'

/** The one argument of every prompt: the words after the name of the command. */
const ARGUMENT = 'arguments'

interface Prompt {
  readonly name: string
  readonly description: string
  readonly arguments: { name: string; description: string; required: boolean }[]
}

/** The commands that are files, as prompts that the person at the client chooses. */
export function listPrompts({ usable }: OwnCommands): readonly Prompt[] {
  return usable.map(({ name, description, argumentHint }) => ({
    name,
    description,
    arguments: [
      {
        name: ARGUMENT,
        description: argumentHint || 'Words for the placeholders of the prompt',
        required: false,
      },
    ],
  }))
}

/** The text of one with its words filled in. */
export function getPrompt(
  name: string,
  given: Readonly<Record<string, string>>,
  { usable, unusable }: OwnCommands,
) {
  const odd = Object.keys(given).find((key) => key !== ARGUMENT)
  if (odd !== undefined) throw refusal(`There is no argument ${odd}; the only one is ${ARGUMENT}.`)
  const command = usable.find((one) => one.name === name)
  if (command === undefined) {
    const broken = unusable.find((one) => one.name === name)
    const why = broken === undefined ? 'prompts/list names those there are' : broken.why
    throw refusal(`There is no prompt ${name}: ${why}.`)
  }
  const expanded = expandCommand(command, given[ARGUMENT] ?? '')
  if (!expanded.ok) throw refusal(`${expanded.why}.`)
  const content = { type: 'text' as const, text: expanded.text }
  return { description: command.description, messages: [{ role: 'user' as const, content }] }
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message)
}
