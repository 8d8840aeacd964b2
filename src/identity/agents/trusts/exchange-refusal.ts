// Why a token exchange is refused, by the codes of RFC 8693, section 2.2.2, and RFC 6749, section 5.2.

export type ExchangeError =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_grant_type';

export class ExchangeRefusal extends Error {
  readonly code: ExchangeError;
  constructor(code: ExchangeError, message: string) {
    super(message);
    this.code = code;
  }
}
