// Lowers the priority of the thread that imports it, since requests that wait for an answer go first.
// Imported before all else, it counts while the other modules start.
import { lowerThreadPriority } from './thread-priority.ts';

lowerThreadPriority();
