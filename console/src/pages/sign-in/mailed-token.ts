// The token of a mail's link stands behind `#`, where no server sees it; it is read once and taken out of the address.
import { useEffect, useState } from 'react';

export function useMailedToken(): string {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '');
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  return token;
}
