// The clients as data, one row each: where it comes from, which version, its driver, and what a reader has to know.
//
//   with      further packages that its documentation has you install
//   skips     core checks that it cannot do on any server, with the reason found in its code
//   notes     the same for anything else that a reader would expect
//   serve     options that the server is started with, each with its reason in `needs`
//   drop      why it is not driven at all

export const clients = [
  {
    name: '@saintno/comfyui-sdk',
    from: 'npm',
    version: '0.3.1',
    driver: 'saintno-comfyui-sdk.mjs',
  },
  {
    name: '@stable-canvas/comfyui-client',
    from: 'npm',
    version: '1.5.9',
    with: ['ws@8.20.0'],
    driver: 'stable-canvas.mjs',
    serve: ['--preview', 'none'],
    needs: {
      '--preview none':
        'It adds every binary frame that arrives while its run executes to the pictures.',
    },
  },
  { name: 'comfy-ui-client', from: 'npm', version: '0.1.2', driver: 'comfy-ui-client.mjs' },
  {
    name: 'comfy-api-simplified',
    from: 'pypi',
    version: '1.6.0',
    driver: 'drive_comfy_api_simplified.py',
    serve: ['--preview', 'none'],
    needs: {
      '--preview none':
        'It returns the binary frames of the socket as the pictures, if there are any.',
    },
  },
  {
    name: 'comfyui-workflow-client',
    from: 'pypi',
    version: '0.1.0',
    driver: 'drive_comfyui_workflow_client.py',
  },
  {
    name: 'comfyui_utils',
    from: 'pypi',
    version: '0.0.1',
    driver: 'drive_comfyui_utils.py',
    serve: ['--preview', 'none'],
    needs: { '--preview none': 'It asserts that every frame of the socket is text.' },
  },
  { name: 'comfyapi', from: 'pypi', version: '2.0.1', driver: 'drive_comfyapi.py' },
  { name: 'comfyui-xy', from: 'pypi', version: '0.3.0', driver: 'drive_comfyui_xy.py' },
  {
    name: 'comfy-toolkit',
    from: 'pypi',
    version: '0.1.0',
    driver: 'drive_comfy_toolkit.py',
    with: ['websocket-client==1.8.0'],
  },
  { name: 'comfyflow', from: 'pypi', version: '0.1.0', driver: 'drive_comfyflow.py' },
  {
    name: 'comfyui-async-api-tool',
    from: 'pypi',
    version: '0.1.0',
    driver: 'drive_comfyui_async_api_tool.py',
  },
  {
    name: 'comfy-ui-client',
    from: 'pypi',
    version: '0.0.1.10',
    driver: 'drive_comfy_ui_client.py',
  },
  { name: 'pycomfy', from: 'pypi', version: '0.4.0', driver: 'drive_pycomfy.py' },
  { name: 'comfy-commander', from: 'pypi', version: '0.1.2', driver: 'drive_comfy_commander.py' },
  { name: 'comfykit', from: 'pypi', version: '0.1.12', driver: 'drive_comfykit.py' },
  { name: 'comfyui-cli', from: 'pypi', version: '0.1.1', driver: 'drive_comfyui_cli.py' },
  {
    name: 'comfyui-skill-cli',
    from: 'pypi',
    version: '0.2.14',
    driver: 'drive_comfyui_skill_cli.py',
    notes: {
      'cached runs':
        'It opens its socket after the submit and then waits without a limit, so it waits forever for a run that has ended before.',
    },
  },
  {
    name: 'comfy-catapult',
    from: 'pypi',
    version: '3.0.0',
    driver: 'drive_comfy_catapult.py',
    notes: {
      'node-types':
        'Its schema of 2024 requires a text as display_name; current servers send null for a fifth of their node types.',
    },
  },
  { name: 'comfy-cli', from: 'pypi', version: '1.23.0', driver: 'drive_comfy_cli.py' },
]
