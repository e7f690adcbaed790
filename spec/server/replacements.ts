// Which node types of older workflows servers of 2026 replace by which others, with their inputs and outputs.

import type { Schema } from '../language.ts'

/** The new name of an input: that of an older one, or of a value. */
type InputMapping =
  | { readonly new_id: string; readonly old_id: string }
  | { readonly new_id: string; readonly set_value: string }

export type Replacement = {
  readonly new_node_id: string
  readonly old_node_id: string
  readonly old_widget_ids: readonly string[] | null
  readonly input_mapping: readonly InputMapping[] | null
  readonly output_mapping: readonly { readonly new_idx: number; readonly old_idx: number }[] | null
}

const texts = { type: ['array', 'null'], items: { type: 'string' } } as const
const index = { type: 'integer', minimum: 0 } as const

export const replacement = {
  type: 'object',
  properties: {
    new_node_id: { type: 'string' },
    old_node_id: { type: 'string' },
    old_widget_ids: texts,
    input_mapping: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        properties: { new_id: { type: 'string' }, old_id: { type: 'string' }, set_value: {} },
        required: ['new_id'],
      },
    },
    output_mapping: {
      type: ['array', 'null'],
      items: { type: 'object', properties: { new_idx: index, old_idx: index } },
    },
  },
  required: ['new_node_id', 'old_node_id', 'old_widget_ids', 'input_mapping', 'output_mapping'],
} as const satisfies Schema

/** Replacements by the node type that they replace. A submit uses the first. */
export const replacementsByType = {
  type: 'object',
  additionalProperties: { type: 'array', items: replacement },
} as const satisfies Schema

const none = { old_widget_ids: null, input_mapping: null, output_mapping: null } as const

/** The replacements of a server without node packs. */
export const replacements: readonly Replacement[] = [
  {
    new_node_id: 'ImageScaleToMaxDimension',
    old_node_id: 'ResizeImagesByLongerEdge',
    old_widget_ids: ['longer_edge'],
    input_mapping: [
      { new_id: 'image', old_id: 'images' },
      { new_id: 'largest_size', old_id: 'longer_edge' },
      { new_id: 'upscale_method', set_value: 'lanczos' },
    ],
    output_mapping: [{ new_idx: 0, old_idx: 0 }],
  },
  {
    ...none,
    new_node_id: 'BatchImagesNode',
    old_node_id: 'ImageBatch',
    input_mapping: [
      { new_id: 'images.image0', old_id: 'image1' },
      { new_id: 'images.image1', old_id: 'image2' },
    ],
  },
  {
    ...none,
    new_node_id: 'ResizeImageMaskNode',
    old_node_id: 'ImageScaleBy',
    old_widget_ids: ['upscale_method', 'scale_by'],
    input_mapping: [
      { new_id: 'input', old_id: 'image' },
      { new_id: 'resize_type', set_value: 'scale by multiplier' },
      { new_id: 'resize_type.multiplier', old_id: 'scale_by' },
      { new_id: 'scale_method', old_id: 'upscale_method' },
    ],
  },
  {
    ...none,
    new_node_id: 'ControlNetLoader',
    old_node_id: 'T2IAdapterLoader',
    input_mapping: [{ new_id: 'control_net_name', old_id: 't2i_adapter_name' }],
  },
  { ...none, new_node_id: 'Load3D', old_node_id: 'Load3DAnimation' },
  { ...none, new_node_id: 'Preview3D', old_node_id: 'Preview3DAnimation' },
  { ...none, new_node_id: 'SVD_img2vid_Conditioning', old_node_id: 'SDV_img2vid_Conditioning' },
  { ...none, new_node_id: 'ConditioningAverage', old_node_id: 'ConditioningAverage ' },
]
