// An agent that decisions name and that is not registered.
export interface UnregisteredAgent {
  name: string;
  decisions: number;
  lastActive: Date;
}
