import { readFileSync } from 'node:fs'

/** What was planted: the name of each tree, and how many. */
export function readPlantings() {
  return JSON.parse(readFileSync(new URL('plantings.json', import.meta.url), 'utf8'))
}

/** How many trees were planted in all. */
export function total(plantings) {
  return plantings.reduce((so, { count }) => so + count, 0)
}
