// The design language as a theme: type, spacing, one accent, verdict colours. `console/DESIGN.md` explains it.
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#eef1ff',
  '#dbe0fb',
  '#b5bff3',
  '#8c9bea',
  '#6a7ce2',
  '#5568de',
  '#495bd6',
  '#3b4cca',
  '#3140a8',
  '#263487',
];
const gray: MantineColorsTuple = [
  '#f8f9fb',
  '#f1f3f6',
  '#e6e9ee',
  '#d7dbe3',
  '#c2c8d2',
  '#9aa2b1',
  '#6a7280',
  '#4b5363',
  '#323949',
  '#1d2330',
];
const dark: MantineColorsTuple = [
  '#d5d9e2',
  '#b9bfcc',
  '#98a0b0',
  '#6a7284',
  '#3b4252',
  '#2c3240',
  '#212632',
  '#191d27',
  '#12151d',
  '#0c0e14',
];

/** What cannot be taken back, and what failed: the colour of `blocked`. */
const red: MantineColorsTuple = [
  '#fbe6ee',
  '#f6c6d7',
  '#ff8fb3',
  '#ee7aa1',
  '#dc5f8b',
  '#c84473',
  '#b3285a',
  '#a8204e',
  '#8c1840',
  '#3d1526',
];

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  colors: { accent, gray, dark, red },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2.5rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  // By their names alone: a component that is imported here would be in every first visit.
  components: {
    Anchor: { defaultProps: { underline: 'always' } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 550 } },
    Button: { defaultProps: { size: 'sm' } },
    Paper: { defaultProps: { withBorder: true, radius: 'md' } },
    TextInput: { defaultProps: { size: 'sm' } },
  },
});

/** Tokens beside the theme's own. Contrast figures stand in `console/DESIGN.md`. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--assay-approved': '#0b6b57',
    '--assay-approved-fill': '#e3f4ef',
    '--assay-held': '#8a4b00',
    '--assay-held-fill': '#fdf0dc',
    '--assay-blocked': '#a8204e',
    '--assay-blocked-fill': '#fbe6ee',
    '--assay-neutral': '#4b5363',
    '--assay-neutral-fill': '#f1f3f6',
    '--assay-chart': '#3b4cca',
    '--assay-chart-quiet': '#7a89e4',
    '--assay-surface': '#ffffff',
    '--assay-canvas': '#f8f9fb',
    '--assay-selected': '#eef1ff',
    '--assay-line': '#e6e9ee',
    '--mantine-color-dimmed': '#596173',
    '--mantine-color-anchor': '#3140a8',
    '--mantine-color-error': '#a8204e',
    '--mantine-color-placeholder': '#6a7280',
  },
  dark: {
    '--assay-approved': '#63d2b4',
    '--assay-approved-fill': '#10302a',
    '--assay-held': '#f0b65a',
    '--assay-held-fill': '#382810',
    '--assay-blocked': '#ff8fb3',
    '--assay-blocked-fill': '#3d1526',
    '--assay-neutral': '#b9bfcc',
    '--assay-neutral-fill': '#212632',
    '--assay-chart': '#8c9bea',
    '--assay-chart-quiet': '#5f6cc0',
    '--assay-surface': '#161a23',
    '--assay-canvas': '#0f121a',
    '--assay-selected': '#20264a',
    '--assay-line': '#2c3240',
    '--mantine-color-body': '#0f121a',
    '--mantine-color-dimmed': '#98a0b0',
    '--mantine-color-anchor': '#a9b5f5',
    '--mantine-color-error': '#ff8fb3',
    '--mantine-color-placeholder': '#8a92a4',
  },
});
