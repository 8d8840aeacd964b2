// The pages of compliance.
import type { ReactNode } from 'react';
import { PageTabs } from '../../parts/layout/page-tabs.tsx';

const TABS = [
  { to: '/compliance', label: 'Clauses', isExact: true },
  { to: '/compliance/assessments', label: 'Impact assessments' },
  { to: '/compliance/privacy', label: 'Privacy budget' },
] as const;

export const ComplianceTabs = (): ReactNode => <PageTabs label="Compliance" tabs={TABS} />;
