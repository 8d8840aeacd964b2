// What the tokens of real issuers say of a workload, by their documents: claims besides those of time and audience.
import type { Claims } from '../../../setup/providers/identity-provider.ts';

/** How a trust knows the workload again, and another workload of the same issuer that it must not take for it. */
export interface WorkloadShape {
  claims: Claims;
  trust: { subject: unknown; claims?: Record<string, unknown> };
  /** Claims of the other workload that differ. */
  other: Claims;
}

export const SHAPES: Readonly<Record<string, WorkloadShape>> = {
  /** A projected service account token (Kubernetes 1.32). */
  kubernetes: {
    claims: {
      sub: 'system:serviceaccount:payments:refund-bot',
      jti: '8f2f1c6c-1b5a-4f5c-9d8e-0a5f3a2b7c11',
      'kubernetes.io': {
        namespace: 'payments',
        node: { name: 'ip-10-0-1-17', uid: '646e7c5e-32d6-4d42-9dbd-e504e6cbe6b1' },
        pod: { name: 'refund-bot-7c9d', uid: '5e0bd49b-f040-43b0-99b7-22765a53f7f3' },
        serviceaccount: { name: 'refund-bot', uid: '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
      },
    },
    trust: {
      subject: 'system:serviceaccount:payments:refund-bot',
      claims: { '/kubernetes.io/serviceaccount/uid': '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
    },
    // Deleted and made again: the same name, another account.
    other: {
      'kubernetes.io': {
        namespace: 'payments',
        serviceaccount: { name: 'refund-bot', uid: '00000000-a7e2-420f-9f9a-dbc4507c3798' },
      },
    },
  },
  /** A job of GitHub Actions with `id-token: write`. */
  github: {
    claims: {
      jti: 'e8a7b9d2-5f44-4b9e-8f4e-31a0c4b7ad52',
      sub: 'repo:octo-org/octo-repo:environment:production',
      ref: 'refs/heads/main',
      sha: 'example-sha',
      repository: 'octo-org/octo-repo',
      repository_owner: 'octo-org',
      repository_owner_id: '65',
      run_id: '30433642',
      run_number: '10',
      run_attempt: '2',
      repository_visibility: 'private',
      repository_id: '74',
      actor_id: '12',
      actor: 'octocat',
      workflow: 'deploy',
      head_ref: '',
      base_ref: '',
      event_name: 'workflow_dispatch',
      ref_type: 'branch',
      ref_protected: 'true',
      runner_environment: 'github-hosted',
      environment: 'production',
      job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main',
    },
    trust: {
      subject: { pattern: 'repo:octo-org/octo-repo:.*' },
      claims: { repository_id: '74', environment: 'production', ref_protected: 'true' },
    },
    // The name was given up, and taken by another owner.
    other: { repository_id: '9001', repository_owner_id: '9000' },
  },
  /** A job of GitLab with `id_tokens`. */
  gitlab: {
    claims: {
      jti: '235b3a54-b797-45c7-ae9a-f72d7bc6ef5b',
      sub: 'project_path:my-group/my-project:ref_type:branch:ref:feature-branch-1',
      namespace_id: '72',
      namespace_path: 'my-group',
      project_id: '20',
      project_path: 'my-group/my-project',
      user_id: '1',
      user_login: 'sample-user',
      user_email: 'sample-user@example.com',
      pipeline_id: '574',
      pipeline_source: 'push',
      job_id: '302',
      ref: 'feature-branch-1',
      ref_type: 'branch',
      ref_protected: 'false',
      runner_id: 1,
      runner_environment: 'self-hosted',
      sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
      groups_direct: ['mygroup/mysubgroup', 'myothergroup/myothersubgroup'],
    },
    trust: {
      subject: { pattern: 'project_path:my-group/my-project:ref_type:branch:ref:feature-.*' },
      claims: { project_id: '20', runner_id: 1, groups_direct: 'mygroup/mysubgroup' },
    },
    other: { groups_direct: ['mygroup'] },
  },
  /** The identity token of a service account, from the metadata server of Google Cloud: it has no `jti`. */
  google: {
    claims: {
      azp: '113774264463038321964',
      email: 'refund-bot@octo-project.iam.gserviceaccount.com',
      email_verified: true,
      google: {
        compute_engine: {
          instance_creation_timestamp: 1_551_224_496,
          instance_id: '152986662232938449',
          project_id: 'octo-project',
          project_number: 739419398126,
          zone: 'us-west1-a',
        },
      },
      sub: '113774264463038321964',
    },
    trust: {
      subject: '113774264463038321964',
      claims: {
        email_verified: true,
        '/google/compute_engine/project_number': 739419398126,
      },
    },
    other: { sub: '100000000000000000001' },
  },
  /** The token of a managed identity of Microsoft Entra, version 2.0. */
  entra: {
    claims: {
      aio: 'E2ZgYHj0sOAAA',
      azp: '8d1ef0a1-5c8b-4a6c-bb3c-0a0f12aa7be5',
      azpacr: '2',
      idtyp: 'app',
      oid: '6a2f4ba4-3f2e-4c8a-9a5a-37a5a7c0d4c1',
      rh: '0.AAAA',
      sub: '6a2f4ba4-3f2e-4c8a-9a5a-37a5a7c0d4c1',
      tid: '72f988bf-86f1-41af-91ab-2d7cd011db47',
      uti: 'u5tVR9pDp0y7dB1JAA',
      ver: '2.0',
    },
    trust: {
      subject: '6a2f4ba4-3f2e-4c8a-9a5a-37a5a7c0d4c1',
      claims: { tid: '72f988bf-86f1-41af-91ab-2d7cd011db47', idtyp: 'app' },
    },
    other: { idtyp: 'user' },
  },
  /** `sts:GetWebIdentityToken` of AWS, with another host in the name of its claim. */
  aws: {
    claims: {
      sub: 'arn:aws:iam::123456789012:role/RefundBot',
      jti: 'd9a1f9a0-77cf-4a7d-8c5a-4a4e53d9bb1d',
      'https://sts.example.com/': {
        aws_account: '123456789012',
        source_region: 'eu-central-1',
        org_id: 'o-abc1234567',
        principal_id: 'arn:aws:iam::123456789012:role/RefundBot',
      },
    },
    trust: {
      subject: 'arn:aws:iam::123456789012:role/RefundBot',
      claims: { '/https:~1~1sts.example.com~1/org_id': 'o-abc1234567' },
    },
    other: { 'https://sts.example.com/': { aws_account: '123456789012', org_id: 'o-other' } },
  },
  /** A JWT-SVID of SPIRE with an issuer. */
  spire: {
    claims: { sub: 'spiffe://octo.example/ns/payments/sa/refund-bot' },
    trust: { subject: 'spiffe://octo.example/ns/payments/sa/refund-bot' },
    other: { sub: 'spiffe://octo.example/ns/payments/sa/refund-bot-2' },
  },
};
