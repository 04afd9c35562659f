import { install } from '../world/steps.ts'

// Loaded before a program: what the sources take of Node when they are loaded is then watched, too.
install()
