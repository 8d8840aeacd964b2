// Examples that send a decision, with the address of this service and the key that was just made.

type Key = string | null;

const fill = (key: Key): string => key ?? 'YOUR_KEY';
const getUrl = (): string => `${location.origin}/api/v1/traces`;

const ORDER = {
  agentId: 'shop-support',
  inputContext: { prompt: 'Where is my order SO-48213?' },
  outputDecision: {
    action: { tool: 'get_order', arguments: { order_id: 'SO-48213' } },
    rationale: 'The customer asks about an order, so its state is read first.',
  },
};
const REFUND = {
  agentId: 'shop-support',
  inputContext: { prompt: 'The blender I got is broken. I want my 89.90 back.' },
  outputDecision: {
    action: { tool: 'refund_payment', arguments: { order_id: 'SO-47110', amount: 89.9 } },
    rationale: 'The order is within its warranty, so the price is paid back.',
  },
};

const writeCurl = (key: Key, decision: object): string =>
  `curl -s ${getUrl()} \\
  -H 'x-api-key: ${fill(key)}' -H 'content-type: application/json' \\
  -d '${JSON.stringify(decision)}'`;

const writeTypeScript = (key: Key): string =>
  `const answer = await fetch('${getUrl()}', {
  method: 'POST',
  headers: { 'x-api-key': '${fill(key)}', 'content-type': 'application/json' },
  body: JSON.stringify(${JSON.stringify(ORDER, null, 2)}),
});
// 201: go on. 202: held for a person. 403: blocked.
console.log(answer.status, await answer.json());`;

const writePython = (key: Key): string =>
  `import json, urllib.request, urllib.error

request = urllib.request.Request(
    '${getUrl()}',
    data=json.dumps(${JSON.stringify(ORDER)}).encode(),
    headers={'x-api-key': '${fill(key)}', 'content-type': 'application/json'},
)
try:
    with urllib.request.urlopen(request) as answer:
        # 201: go on. 202: held for a person.
        print(answer.status, answer.read().decode())
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())`;

export const snippets = {
  ways: [
    { id: 'curl', label: 'curl', write: (key: Key) => writeCurl(key, ORDER) },
    { id: 'typescript', label: 'TypeScript', write: writeTypeScript },
    { id: 'python', label: 'Python', write: writePython },
  ],
  refund: (key: Key) => writeCurl(key, REFUND),
} as const;
