/** The few colours in use. */
export type Colour = 'red' | 'green' | 'yellow' | 'dim' | 'bold'

const CODES: Readonly<Record<Colour, string>> = { red: '31', green: '32', yellow: '33', dim: '2', bold: '1' }

/** Colours a text where colour is wanted. */
export function colourise(name: Colour, text: string, hasColour: boolean): string {
  return hasColour ? `\u001b[${CODES[name]}m${text}\u001b[0m` : text
}
