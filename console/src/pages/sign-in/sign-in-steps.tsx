// The frame of a sign-in of two steps: its first form, then the second factor if it is asked for.
import { type ReactNode, useState } from 'react';
import { Problem } from '../../parts/states.tsx';
import { BackToSignIn, SignInFrame } from './frame.tsx';
import { type Enrolment, SecondStep } from './second-step.tsx';

interface Props {
  title: string;
  foot?: ReactNode;
  next?: string | undefined;
  /** The first step, which may lead to the second. */
  children: (onSecondStep: (tempToken: string) => void) => ReactNode;
}

export function SignInSteps({ title, foot, next, children }: Props): ReactNode {
  const [tempToken, setTempToken] = useState<string | null>(null);
  if (tempToken !== null) return <SecondStepFrame step={{ tempToken }} next={next} />;
  return (
    <SignInFrame title={title} foot={foot ?? <BackToSignIn />}>
      {children(setTempToken)}
    </SignInFrame>
  );
}

interface FrameProps {
  /** Absent: it is being fetched, or could not be. */
  step: { tempToken: string; enrolment?: Enrolment } | undefined;
  error?: Error | null;
  next: string | undefined;
}

export function SecondStepFrame({ step, error = null, next }: FrameProps): ReactNode {
  return (
    <SignInFrame title="One more step" foot={<BackToSignIn />}>
      {error && <Problem error={error} />}
      {step && <SecondStep {...step} next={next} />}
    </SignInFrame>
  );
}
