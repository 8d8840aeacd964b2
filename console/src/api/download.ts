// Downloads files of the API, which a plain link cannot: the session cookie needs a header.
import { CONSOLE_HEADERS } from './client.ts';
import { ApiError } from './api-error.ts';

/** Fetches a file and hands it to the browser under the name that the service gave it. @throws ApiError */
export async function saveFile(path: string, signal?: AbortSignal): Promise<void> {
  const response = await fetch(path, { headers: CONSOLE_HEADERS, signal });
  if (!response.ok) throw ApiError.fromAnswer(response, await response.json().catch(() => null));
  const named = /filename="?([^";]+)"?/.exec(response.headers.get('content-disposition') ?? '');
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = named?.[1] ?? 'download';
  link.click();
  URL.revokeObjectURL(url);
}
