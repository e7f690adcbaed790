// The clients as data, one row each: where it comes from, which version, and what a reader has to know.
//
//   with        further packages that its documentation has you install, or an older one that it was written for
//   python      the oldest Python that it runs on, where that is not the oldest of all
//   driver      the name of its driver, where that is not the name of the client
//   generation  the server that it is driven against; without it, the one that serve starts by default
//   needs       options that the server is started with, each with its reason
//   skips       core checks that it cannot do on any server, with the reason found in its code
//   notes       the same for anything else that a reader would expect
//   drop        why it is not driven at all

const npm = (name, version, more = {}) => ({ name, version, from: 'npm', ...more })
const pypi = (name, version, more = {}) => ({ name, version, from: 'pypi', ...more })

export const clients = [
  npm('@comfyorg/sdk', '0.1.9', {
    generation: 'hosted v2',
    needs: { '--deployment hosted': 'It speaks the second version of the hosted API.' },
    notes: {
      'errors of models': 'Its models.run throws a ComfyError, with the error_type as its code.',
    },
  }),
  npm('@saintno/comfyui-sdk', '0.3.1', {
    notes: { 'refused graphs': 'It throws the response of the server as it is.' },
  }),
  npm('@stable-canvas/comfyui-client', '1.5.9', {
    with: ['ws@8.20.0'],
    needs: {
      '--preview none':
        'It adds every binary frame that arrives while its run executes to the pictures.',
    },
    notes: {
      'interrupted runs':
        'Its enqueue listens to execution_error only, and waits five minutes for a run that was interrupted.',
    },
  }),
  npm('comfy-ui-client', '0.1.2', {
    notes: {
      'failed runs': 'Its getImages resolves without pictures; only the history shows the failure.',
      interrupt: 'It reads the empty reply of POST /interrupt as JSON, and rejects.',
    },
  }),
  pypi('comfy-api-simplified', '1.6.0', {
    needs: {
      '--preview none': 'It returns the binary frames of the socket as the pictures, if any came.',
    },
  }),
  pypi('comfy-api-proxy', '0.1.6', {
    with: ['comfy-sdk==0.5.0'],
    generation: 'comfyui-0.27',
    needs: { '--like comfyui-0.27': 'It cancels by POST /api/jobs/{id}/cancel.' },
  }),
  pypi('comfy-catapult', '3.0.0', {
    notes: {
      'node types':
        'Its schema of 2024 requires a text as display_name; current servers send null for a fifth of their node types.',
    },
  }),
  pypi('comfy-cli', '1.23.0'),
  pypi('comfy-cli', '1.23.0', {
    driver: 'comfy-cli-cloud',
    generation: 'hosted v1',
    needs: {
      '--deployment hosted': 'Its --where cloud speaks the first version of the hosted API.',
    },
    notes: {
      'failed runs': 'A run that it waits for fails with "error"; its jobs status shows why.',
    },
  }),
  pypi('comfy-client', '0.1.0', { python: '3.12' }),
  pypi('comfy-commander', '0.1.2', {
    notes: { 'failed runs': 'It reports "Unknown error", since it looks for a message elsewhere.' },
  }),
  pypi('comfy-headless', '3.1.1', {
    with: ['websockets==15.0.1', 'httpx==0.28.1'],
    notes: {
      presets:
        'A preset names a model that the server may not have; without one it asks the server.',
    },
  }),
  pypi('comfy-mcp', '0.10.0', {
    with: ['comfy-cli==1.23.0', 'mcp==2.0.1'],
    notes: {
      'mcp 2.3': 'Later releases of mcp hide the errors of tools, which its texts rely on.',
    },
  }),
  pypi('comfy-proxy', '0.2.1', {
    notes: { 'failed runs': 'It yields nothing, and does not say why.' },
  }),
  pypi('comfy-script', '0.6.1', {
    with: ['comfy-script[runtime]==0.6.1'],
  }),
  pypi('comfy-sdk', '0.5.0', {
    generation: 'hosted v2',
    needs: { '--deployment hosted': 'It speaks the second version of the hosted API.' },
  }),
  pypi('comfy-toolkit', '0.1.0', { with: ['websocket-client==1.8.0'] }),
  pypi('comfy-ui-client', '0.0.1.10', {
    notes: { 'failed runs': 'Its get_outputs returns no pictures; only the history shows why.' },
  }),
  pypi('comfyapi', '2.0.1'),
  pypi('comfyflow', '0.1.0'),
  pypi('comfykit', '0.1.12'),
  pypi('comfyui-api-client', '0.1.0', {
    drop: 'Its package imports a module `api` that it does not contain.',
  }),
  pypi('comfyui-async-api-tool', '0.1.0', {
    notes: {
      'failed runs':
        'It waits until the queue is empty and then, for five minutes by default, for a picture.',
    },
  }),
  pypi('comfyui-autograph', '2.3.0'),
  pypi('comfyui-cli', '0.1.1'),
  pypi('comfyui-frontend-package', '1.58.1', {
    with: ['playwright==1.55.0'],
    generation: 'comfyui-0.38',
    needs: {
      '--like comfyui-0.38': 'It is the front end of that time.',
      '--assets': 'Its panel of assets lists what a server with assets has.',
      '--web-root {packages}/comfyui_frontend_package/static': 'The server sends its files.',
    },
    notes: { Chromium: 'It runs in the Chromium of the machine, which its driver starts.' },
  }),
  pypi('comfyui-python-client', '0.1.3', { python: '3.12' }),
  pypi('comfyui-skill-cli', '0.2.14', {
    notes: {
      'cached runs':
        'It opens its socket after the submit and waits without a limit: a run that has ended before never ends for it.',
    },
  }),
  pypi('comfyui_utils', '0.0.1', {
    needs: { '--preview none': 'It asserts that every frame of the socket is text.' },
    notes: { 'failed runs': 'It ends with a StopIteration, as it expects an output.' },
  }),
  pypi('comfyui-workflow-client', '0.1.0', {
    notes: { 'failed runs': 'It returns no pictures, and does not say why.' },
  }),
  pypi('comfyui-xy', '0.3.0', {
    notes: { 'failed runs': 'It returns no files; only the history shows why.' },
  }),
  pypi('dcc-mcp-comfyui', '0.1.6', {
    generation: 'comfyui-0.27',
    needs: { '--like comfyui-0.27': 'It cancels by POST /api/jobs/{id}/cancel.' },
  }),
  pypi('pycomfy', '0.4.0'),
  pypi('sd-backend-client', '0.5.0', {
    python: '3.11',
    needs: {
      '--scenario out-of-memory': 'It builds its graphs itself, none of which fails otherwise.',
    },
  }),
]
