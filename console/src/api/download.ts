// Saves files: of the API, which a plain link cannot since the session cookie needs a header, and texts made here.
import { createHeaders } from './client.ts';
import { ApiError } from './api-error.ts';

/** Fetches a file and hands it to the browser under the name that the service gave it. @throws ApiError */
export async function saveFile(path: string, signal?: AbortSignal): Promise<void> {
  const response = await fetch(path, { headers: createHeaders(), signal });
  if (!response.ok) throw ApiError.fromAnswer(response, await response.json().catch(() => null));
  const named = /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '');
  saveBlob(named?.[1] ?? 'download', await response.blob());
}

/** Hands a text to the browser as a file. */
export function saveText(name: string, text: string, type = 'application/json'): void {
  saveBlob(name, new Blob([text], { type }));
}

function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
