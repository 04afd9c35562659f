/** The commands whose every call of the machine is met with a death and with each error it can have. */
export const SWEPT: readonly string[] = [
  'a first batch',
  'a batch',
  'undo',
  'redo',
  'waiting',
  'answering',
  'finishing a commit',
  'finishing an undo',
  'recovery',
  'run',
  'taking up the log',
  'forget',
  'repair',
]

/** The same for what is done with the layer of a command; each begins with a layer that is there already. */
export const SWEPT_LAYERS: readonly string[] = [
  'layer: approve',
  'layer: deny',
  'layer: undo',
  'layer: redo',
  'layer: recover',
  'layer: recover undo',
]

/** What makes a layer: a command that lands at its end, and one that asks. Each trial of them starts a command. */
export const SWEPT_TO_LAYERS: readonly string[] = ['layer: run', 'layer: ask']
