// What fault tests of the witnessed log share: its settings, and an organisation that posts.

/** Logs are sealed at once, and promises are for an hour: a slow machine breaks none. */
export const SEALING = {
  ASSAY_LOG: 'on',
  ASSAY_LOG_SEAL_SECONDS: '0',
  ASSAY_LOG_MMD_SECONDS: '3600',
  ASSAY_OUTBOUND_ALLOW: '127.0.0.1',
  DEFAULT_PLAN: 'enterprise',
};

interface Enrolled {
  token: string;
  apiKey: string;
  agentId: string;
  organizationId: string;
}

/** Creates an organisation with a key and an agent. */
export async function registerSealed(url: string, email = 'ada@example.com'): Promise<Enrolled> {
  const call = async (path: string, body: object, token?: string) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return (JSON.parse(text) as { data: Record<string, never> }).data;
  };
  const { token, organization } = await call('/auth/register', {
    name: 'Ada',
    email,
    password: 'Correct-Horse-9',
    organizationName: 'Sealed',
  });
  const { key } = await call('/auth/keys', { name: 'load' }, token);
  const { _id } = await call('/agents', { name: 'bot' }, token);
  const { _id: organizationId } = organization as unknown as { _id: string };
  return { token: String(token), apiKey: String(key), agentId: String(_id), organizationId };
}
