// The editor of the rule language, with errors at their line.
import { autocompletion, closeBrackets } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import { nonce } from '../../../app/nonce.ts';
import { completeRule, ruleLanguage } from './rule-language.ts';

interface SourceError {
  line: number;
  column: number;
  message: string;
}

interface Props {
  source: string;
  onChange: (source: string) => void;
  errors: readonly SourceError[];
  isReadOnly: boolean;
}

const look = EditorView.theme({
  '&': {
    fontSize: 'var(--mantine-font-size-sm)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-sm)',
    background: 'var(--assay-surface)',
  },
  '.cm-content': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    minHeight: '260px',
    caretColor: 'var(--mantine-color-text)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-content:focus-visible': {
    outline: '2px solid var(--mantine-color-anchor)',
    outlineOffset: '-2px',
  },
  '.cm-gutters': {
    background: 'var(--assay-canvas)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-selectionBackground': { background: 'var(--assay-selected) !important' },
  '.cm-tooltip': {
    background: 'var(--assay-surface)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
  },
});

function toDiagnostics(state: EditorState, errors: readonly SourceError[]): Diagnostic[] {
  return errors.map(({ line, column, message }) => {
    const found = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
    const from = Math.min(found.from + column - 1, found.to);
    return { from, to: Math.max(from, found.to), severity: 'error', message };
  });
}

const mayWrite = new Compartment();
const isWritable = (isReadOnly: boolean) => [
  EditorState.readOnly.of(isReadOnly),
  EditorView.editable.of(!isReadOnly),
];

/**
 * Replaces what is marked. Left to the browser, the new text keeps the look of the old one by a style of its own, which
 * the policy of the pages refuses and reports.
 */
function replaceMarked({ inputType, data }: InputEvent, view: EditorView): boolean {
  // The editor may not have heard yet of what has just been marked.
  const marked = getSelection();
  if (inputType !== 'insertText' || data === null || view.composing) return false;
  if (!marked || marked.isCollapsed) return false;
  const { startContainer, startOffset, endContainer, endOffset } = marked.getRangeAt(0);
  const from = view.posAtDOM(startContainer, startOffset);
  const to = view.posAtDOM(endContainer, endOffset);
  view.dispatch({ selection: { anchor: from, head: to } });
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
  return true;
}

export function RuleEditor({ source, onChange, errors, isReadOnly }: Props): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const handler = useRef(onChange);
  useEffect(() => {
    handler.current = onChange;
  });
  useEffect(() => {
    if (!host.current) return;
    const made = new EditorView({
      parent: host.current,
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorView.contentAttributes.of({ 'aria-label': 'Rule', tabindex: '0' }),
        EditorView.lineWrapping,
        lineNumbers(),
        lintGutter(),
        history(),
        EditorView.domEventHandlers({ beforeinput: replaceMarked }),
        closeBrackets(),
        autocompletion({ override: [completeRule] }),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        ...ruleLanguage,
        look,
        mayWrite.of(isWritable(false)),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) handler.current(state.doc.toString());
        }),
      ],
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const { current } = view;
    const known = current?.state.doc.toString();
    if (current && known !== source)
      current.dispatch({ changes: { from: 0, to: known?.length ?? 0, insert: source } });
  }, [source]);
  useEffect(() => {
    view.current?.dispatch({ effects: mayWrite.reconfigure(isWritable(isReadOnly)) });
  }, [isReadOnly]);
  useEffect(() => {
    const { current } = view;
    if (current)
      current.dispatch(setDiagnostics(current.state, toDiagnostics(current.state, errors)));
  }, [errors]);
  return <div ref={host} />;
}
