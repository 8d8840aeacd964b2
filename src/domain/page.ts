// One page of a list: offset and limit.

export interface Page {
  skip: number;
  limit: number;
}
